//! Which files of a skill its package excludes: `include` and `exclude` of the manifest, and `.skillpmignore`.
//!
//! ```text
//! references/*        # excludes the files of a directory
//! !references/a.md    # except this one; the last pattern that matches decides
//! *.log
//! ```
//!
//! Packing itself reads the same patterns in `skillpm-io`, with a library that needs a disk.

use super::path_pattern::PathPattern;
use super::{SkillDir, SkillFile};
use skillpm_core::manifest::FILE;
use skillpm_core::manifest::inspect::{ManifestOutline, SpannedText, inspect_manifest};

/// The patterns that decide which files are in a package.
pub(crate) struct PackageFilter {
    include: Vec<IgnorePattern>,
    exclude: Vec<IgnorePattern>,
    ignore_file: Vec<IgnorePattern>,
}

impl PackageFilter {
    /// The filter of a skill with this manifest; `None` if it excludes nothing.
    pub(crate) fn from_manifest(skill: &SkillDir, manifest: &ManifestOutline) -> Option<Self> {
        let ignored = ignore_file(skill);
        if manifest.include.is_empty() && manifest.exclude.is_empty() && ignored.is_empty() {
            return None;
        }

        Some(PackageFilter {
            include: parse_texts(&manifest.include),
            exclude: parse_texts(&manifest.exclude),
            ignore_file: parse_lines(ignored),
        })
    }

    /// What excludes a file, for a message.
    pub(crate) fn excluded_by(&self, path: &str) -> Option<String> {
        // `skillpm.toml` decides first, then the ignore file. Neither can bring back what
        // `include` does not list.
        if let Some(is_out) = last_match(&self.exclude, path) {
            if is_out {
                return Some(format!("`exclude` in `{FILE}`"));
            }
        } else if last_match(&self.ignore_file, path) == Some(true) {
            return Some("`.skillpmignore`".to_owned());
        }

        let is_missed = !self.include.is_empty() && last_match(&self.include, path) != Some(true);
        is_missed.then(|| format!("`include` in `{FILE}`"))
    }
}

/// Whether the manifest or the ignore file of the skill excludes this file from the package.
pub(crate) fn is_excluded(skill: &SkillDir, path: &str) -> bool {
    if let Some(manifest) = skill.file(FILE).and_then(SkillFile::text) {
        let patterns = parse_texts(&inspect_manifest(manifest).exclude);
        // The manifest has precedence; the ignore file is used only if no pattern of it matches.
        if let Some(is_out) = last_match(&patterns, path) {
            return is_out;
        }
    }

    last_match(&parse_lines(ignore_file(skill)), path) == Some(true)
}

/// The text of the skill's ignore file; empty if it has none.
fn ignore_file(skill: &SkillDir) -> &str {
    skill
        .file(".skillpmignore")
        .and_then(SkillFile::text)
        .unwrap_or_default()
}

fn parse_texts(texts: &[SpannedText]) -> Vec<IgnorePattern> {
    texts
        .iter()
        .filter_map(|text| IgnorePattern::parse(&text.text))
        .collect()
}

fn parse_lines(text: &str) -> Vec<IgnorePattern> {
    text.lines().filter_map(IgnorePattern::parse).collect()
}

/// A line of a `.gitignore`.
struct IgnorePattern {
    pattern: PathPattern,
    is_negated: bool,
    /// Whether it ends in `/`, and so matches directories only.
    is_dir: bool,
}

impl IgnorePattern {
    /// Parses a line; `None` for a comment, an empty line and an invalid pattern, which git ignores as well.
    fn parse(line: &str) -> Option<Self> {
        let line = line.trim_end();
        let (is_negated, rest) = line
            .strip_prefix('!')
            .map_or((false, line), |rest| (true, rest));
        if rest.is_empty() || rest.starts_with('#') {
            return None;
        }

        let (is_dir, rest) = rest
            .strip_suffix('/')
            .map_or((false, rest), |rest| (true, rest));
        Some(IgnorePattern {
            pattern: PathPattern::parse(rest).ok()?,
            is_negated,
            is_dir,
        })
    }

    /// Whether it matches a file, or a directory above it, with which a file is excluded.
    fn matches(&self, path: &str) -> bool {
        if self.is_dir {
            self.pattern.matches_above(path)
        } else {
            self.pattern.matches(path)
        }
    }
}

/// Whether the last matching pattern is not negated; `None` if no pattern matches.
fn last_match(patterns: &[IgnorePattern], path: &str) -> Option<bool> {
    patterns
        .iter()
        .rev()
        // From the end: a later line overrides the ones before it.
        .find(|pattern| pattern.matches(path))
        .map(|pattern| !pattern.is_negated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_git() {
        for (pattern, path, matches) in [
            ("*.log", "a/b.log", true),
            ("/b.log", "a/b.log", false),
            ("a/*.md", "a/b/c.md", false),
            ("a/**", "a/b/c.md", true),
            ("b/", "a/b/c.md", true),
            ("c.md/", "a/b/c.md", false),
            ("a/b", "a/b/c.md", true),
            ("a", "b/a.md", false),
        ] {
            assert_eq!(
                IgnorePattern::parse(pattern).unwrap().matches(path),
                matches,
                "{pattern} {path}"
            );
        }
        assert!(IgnorePattern::parse("# x").is_none() && IgnorePattern::parse("").is_none());
    }
}
