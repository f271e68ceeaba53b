//! Linked files that are excluded from the package.

use globset::{GlobBuilder, GlobMatcher};

use crate::rules::contents::link_target::{ResolvedLink, resolve_link};
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, SkillDir, SkillFile,
};
use skillpm_core::manifest::{FILE, inspect::ManifestOutline};
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

pub(crate) static RULE: Rule = Rule {
    code: "SK809",
    name: "include-misses-reference",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "the package excludes a file that `SKILL.md` links to",
    docs: RuleDocs {
        finds: "A link in `SKILL.md` to an existing file that `include` or `exclude` under `[package]`, or \
            `.skillpmignore`, excludes from the package.",
        hurts: "The link works locally, and is broken for everyone who installs the package.",
        ignore: "Never: remove the link, or include the file.",
        bad: &[
            page_and!(
                "See [fields](references/fields.md).\n",
                ("pdf/references/fields.md", ExampleFile::Text("# Fields\n")),
                (
                    "pdf/skillpm.toml",
                    ExampleFile::Text("[package]\nname = \"pdf\"\nexclude = [\"references/\"]\n")
                )
            ),
            page_and!(
                "See [fields](references/fields.md).\n",
                ("pdf/references/fields.md", ExampleFile::Text("# Fields\n")),
                (
                    "pdf/skillpm.toml",
                    ExampleFile::Text("[package]\nname = \"pdf\"\ninclude = [\"scripts/**\"]\n")
                )
            ),
        ],
        good: &[page_and!(
            "See [fields](references/fields.md).\n",
            ("pdf/references/fields.md", ExampleFile::Text("# Fields\n")),
            (
                "pdf/.skillpmignore",
                ExampleFile::Text("references/*\n!fields.md\n")
            ),
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[package]\nname = \"pdf\"\nexclude = [\"*.log\"]\n")
            )
        )],
    },
    check: RuleCheck::SharedWith("manifest-syntax"),
};

pub(super) fn check(
    subject: &LintSubject<'_>,
    page: &MarkdownPage<'_>,
    manifest: &ManifestOutline,
    found: &mut FindingList,
) {
    let ignored = subject
        .skill
        .file(".skillpmignore")
        .and_then(SkillFile::text)
        .unwrap_or_default();
    if manifest.include.is_empty() && manifest.exclude.is_empty() && ignored.is_empty() {
        return;
    }

    let list = |texts: &[skillpm_core::manifest::inspect::SpannedText]| {
        texts
            .iter()
            .filter_map(|text| IgnorePattern::parse(&text.text))
            .collect::<Vec<_>>()
    };
    let (include, exclude) = (list(&manifest.include), list(&manifest.exclude));
    let lines: Vec<IgnorePattern> = ignored.lines().filter_map(IgnorePattern::parse).collect();

    let mut reported = Vec::new();
    for link in &page.markdown().links {
        let ResolvedLink::Existing { path, .. } = resolve_link(subject.skill, "", &link.target)
        else {
            continue;
        };
        if subject.skill.file(&path).is_none()
            || reported.contains(&path)
            || ["SKILL.md", FILE].contains(&path.as_str())
        {
            continue;
        }

        // `skillpm.toml` decides first, then the ignore file.
        let out = last_match(&exclude, &path).map(|out| (out, format!("`exclude` in `{FILE}`")));
        let out = out
            .or_else(|| last_match(&lines, &path).map(|out| (out, "`.skillpmignore`".to_owned())));
        let is_missed = !include.is_empty() && last_match(&include, &path) != Some(true);
        let by = match out {
            Some((true, by)) => by,
            _ if is_missed => format!("`include` in `{FILE}`"),
            _ => continue,
        };

        found.add(
            page.path,
            finding(&path, &by).at_bytes(link.target_span.clone()),
        );
        reported.push(path);
    }
}

/// Reports a file that is linked to and excluded.
pub(crate) fn finding(path: &str, by: &str) -> Diagnostic {
    let finding = RULE.finding(format!(
        "the link points to `{}`, which {by} excludes from the package",
        path.escape_debug()
    ));
    finding
        .note("anyone who installs the package does not get the file")
        .help("include the file, or remove the link")
}

/// Whether the manifest or the ignore file of the skill excludes this file from the package.
pub(in crate::rules) fn is_excluded(skill: &SkillDir, path: &str) -> bool {
    let text = |path: &str| skill.file(path).and_then(SkillFile::text);
    if let Some(manifest) = text(FILE) {
        let outline = skillpm_core::manifest::inspect::inspect_manifest(manifest);
        let patterns = outline
            .exclude
            .iter()
            .filter_map(|text| IgnorePattern::parse(&text.text))
            .collect::<Vec<_>>();
        // The manifest has precedence; the ignore file is used only if no pattern of it matches.
        if let Some(is_out) = last_match(&patterns, path) {
            return is_out;
        }
    }

    let lines: Vec<IgnorePattern> = text(".skillpmignore")
        .unwrap_or_default()
        .lines()
        .filter_map(IgnorePattern::parse)
        .collect();
    last_match(&lines, path) == Some(true)
}

/// A pattern as in a `.gitignore`.
struct IgnorePattern {
    glob: GlobMatcher,
    is_negated: bool,
    is_dir: bool,
}

impl IgnorePattern {
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

        // As in git: a pattern with a slash counts from the root, any other at each depth.
        let is_anchored = rest.contains('/');
        let rest = rest.trim_start_matches('/');
        let text = if is_anchored {
            rest.to_owned()
        } else {
            format!("**/{rest}")
        };

        let glob = GlobBuilder::new(&text)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .ok()?;

        Some(IgnorePattern {
            glob: glob.compile_matcher(),
            is_negated,
            is_dir,
        })
    }

    /// Whether it matches a file, or a directory above it.
    fn matches(&self, path: &str) -> bool {
        // A file is excluded with any directory above it, as in git.
        let dirs = path.match_indices('/').map(|(end, _)| &path[..end]);
        (!self.is_dir && self.glob.is_match(path))
            || dirs.into_iter().any(|dir| self.glob.is_match(dir))
    }
}

/// Whether the last matching pattern is not negated; `None` if no pattern matches.
fn last_match(patterns: &[IgnorePattern], path: &str) -> Option<bool> {
    patterns
        .iter()
        .rev()
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
