//! Patterns of paths, as in a `.gitignore`. The only file that uses globs.
//!
//! | pattern | matches |
//! |---|---|
//! | `*.py` | such files in any directory |
//! | `skills/old` | this file or directory, from the root, and everything in it |
//! | `skills/*/x.md` | in each directory; `**` is any number of directories |

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// A pattern of paths, which are relative and have `/`.
#[derive(Debug, Clone)]
pub(crate) struct PathPattern(GlobSet);

impl PathPattern {
    /// Parses a pattern without the `/` at its end.
    ///
    /// # Errors
    /// If it is not a glob, or too large: the reason.
    pub(crate) fn parse(text: &str) -> Result<PathPattern, String> {
        // As in git: a pattern with a slash counts from the root, any other at each depth.
        let is_anchored = text.contains('/');
        let relative = text.trim_start_matches('/');

        let mut set = GlobSetBuilder::new();
        set.add(if is_anchored {
            build_glob(relative)?
        } else {
            build_glob(&format!("**/{relative}"))?
        });
        // A set of one, because building it can fail: a single matcher panics for a pattern that
        // needs more memory than the limit, and patterns come from skills of third parties.
        set.build().map(PathPattern).map_err(|error| reason(&error))
    }

    /// Whether it matches a path, or a directory above it.
    pub(crate) fn matches(&self, path: &str) -> bool {
        self.0.is_match(path) || self.matches_above(path)
    }

    /// Whether it matches a directory above a path.
    pub(crate) fn matches_above(&self, path: &str) -> bool {
        path.match_indices('/')
            .any(|(end, _)| self.0.is_match(&path[..end]))
    }
}

fn build_glob(text: &str) -> Result<Glob, String> {
    GlobBuilder::new(text)
        // As in git, `*` stays within one directory.
        .literal_separator(true)
        // On Windows too, where the default would make `\` a separator.
        .backslash_escape(true)
        .build()
        .map_err(|error| reason(&error))
}

/// Why a glob is invalid, without the glob itself.
fn reason(error: &globset::Error) -> String {
    error.kind().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        PathPattern::parse(pattern).unwrap().matches(path)
    }

    #[test]
    fn pattern_without_a_slash_matches_at_any_depth() {
        for (pattern, path, expected) in [
            ("*.py", "a.py", true),
            ("*.py", "scripts/a.py", true),
            ("legacy", "skills/legacy/SKILL.md", true),
            ("skills/legacy", "skills/legacy/SKILL.md", true),
            ("skills/legacy", "old/skills/legacy/SKILL.md", false),
            ("/a.py", "scripts/a.py", false),
            ("skills/*", "skills/a/b.md", true),
            ("skills/*.md", "skills/a/b.md", false),
            ("skills/**/b.md", "skills/a/c/b.md", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn pattern_that_is_too_large_is_an_error() {
        assert!(PathPattern::parse("[a").is_err());
        assert!(PathPattern::parse(&"?".repeat(1 << 18)).is_err());
    }
}
