//! Files that the instructions lead to, and the package leaves out.

use globset::{GlobBuilder, GlobMatcher};

use crate::lint::rules::contents::target::{Lead, follow};
use crate::lint::{Check, Docs, File, Fixes, Found, Page, Piece, Rule, SkillDir, Subject};
use crate::manifest::{FILE, look::Look};
use crate::report::{Diagnostic, Level};

pub(in crate::lint) static RULE: Rule = Rule {
    code: "SK809",
    name: "include-misses-reference",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "the package leaves out a file that `SKILL.md` links to",
    docs: Docs {
        finds: "A link in `SKILL.md` to a file that is there, and that `include` or `exclude` below `[package]`, or \
                `.skillpmignore`, keep out of the package.",
        hurts: "The link works at home, and is broken for everybody who installs the package.",
        ignore: "There is no reason to: take the link out, or the file in.",
        bad: &[
            page_and!(
                "See [fields](references/fields.md).\n",
                ("pdf/references/fields.md", Piece::Text("# Fields\n")),
                ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"pdf\"\nexclude = [\"references/\"]\n"))
            ),
            page_and!(
                "See [fields](references/fields.md).\n",
                ("pdf/references/fields.md", Piece::Text("# Fields\n")),
                ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"pdf\"\ninclude = [\"scripts/**\"]\n"))
            ),
        ],
        good: &[page_and!(
            "See [fields](references/fields.md).\n",
            ("pdf/references/fields.md", Piece::Text("# Fields\n")),
            ("pdf/.skillpmignore", Piece::Text("references/*\n!fields.md\n")),
            ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"pdf\"\nexclude = [\"*.log\"]\n"))
        )],
    },
    check: Check::With("manifest-syntax"),
};

pub(super) fn check(subject: &Subject<'_>, page: &Page<'_>, look: &Look, found: &mut Found) {
    let ignored = subject.skill.file(".skillpmignore").and_then(File::text).unwrap_or_default();
    if look.include.is_empty() && look.exclude.is_empty() && ignored.is_empty() {
        return;
    }
    let list = |texts: &[crate::manifest::look::Text]| {
        texts.iter().filter_map(|text| Pattern::of(&text.text)).collect::<Vec<_>>()
    };
    let (include, exclude) = (list(&look.include), list(&look.exclude));
    let lines: Vec<Pattern> = ignored.lines().filter_map(Pattern::of).collect();
    let mut told = Vec::new();
    for link in &page.markdown().links {
        let Lead::There { path, .. } = follow(subject.skill, "", &link.target) else { continue };
        if subject.skill.file(&path).is_none() || told.contains(&path) || ["SKILL.md", FILE].contains(&path.as_str()) {
            continue;
        }
        let out = word(&exclude, &path).map(|out| (out, format!("`exclude` in `{FILE}`")));
        let out = out.or_else(|| word(&lines, &path).map(|out| (out, "`.skillpmignore`".to_owned())));
        let is_missed = !include.is_empty() && word(&include, &path) != Some(true);
        let by = match out {
            Some((true, by)) => by,
            _ if is_missed => format!("`include` in `{FILE}`"),
            _ => continue,
        };
        found.add(page.path, finding(&path, &by).at(link.written.clone(), page.source));
        told.push(path);
    }
}

/// Tells of a file that is linked to and left out.
pub(in crate::lint) fn finding(path: &str, by: &str) -> Diagnostic {
    let told =
        RULE.finding(format!("the link leads to `{}`, which {by} keeps out of the package", path.escape_debug()));
    told.note("whoever installs the package has no such file").help("let the file in, or take the link out")
}

/// Whether what the skill says of its package keeps this file out of it.
pub(in crate::lint::rules) fn is_left_out(skill: &SkillDir, path: &str) -> bool {
    let text = |path: &str| skill.file(path).and_then(File::text);
    if let Some(manifest) = text(FILE) {
        let look = crate::manifest::look::look(manifest);
        let said = look.exclude.iter().filter_map(|text| Pattern::of(&text.text)).collect::<Vec<_>>();
        if let Some(is_out) = word(&said, path) {
            return is_out;
        }
    }
    let lines: Vec<Pattern> = text(".skillpmignore").unwrap_or_default().lines().filter_map(Pattern::of).collect();
    word(&lines, path) == Some(true)
}

/// A pattern as in a `.gitignore`.
struct Pattern {
    glob: GlobMatcher,
    is_negated: bool,
    is_dir: bool,
}

impl Pattern {
    fn of(line: &str) -> Option<Self> {
        let line = line.trim_end();
        let (is_negated, rest) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
        if rest.is_empty() || rest.starts_with('#') {
            return None;
        }
        let (is_dir, rest) = rest.strip_suffix('/').map_or((false, rest), |rest| (true, rest));
        let is_anchored = rest.contains('/');
        let rest = rest.trim_start_matches('/');
        let text = if is_anchored { rest.to_owned() } else { format!("**/{rest}") };
        let glob = GlobBuilder::new(&text).literal_separator(true).backslash_escape(true).build().ok()?;
        Some(Pattern { glob: glob.compile_matcher(), is_negated, is_dir })
    }

    /// Whether it matches a file, or a directory that it lies in.
    fn matches(&self, path: &str) -> bool {
        let dirs = path.match_indices('/').map(|(end, _)| &path[..end]);
        (!self.is_dir && self.glob.is_match(path)) || dirs.into_iter().any(|dir| self.glob.is_match(dir))
    }
}

/// What the last pattern that matches says: whether the path is one of those that are meant.
fn word(patterns: &[Pattern], path: &str) -> Option<bool> {
    patterns.iter().rev().find(|pattern| pattern.matches(path)).map(|pattern| !pattern.is_negated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_git_has_them() {
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
            assert_eq!(Pattern::of(pattern).unwrap().matches(path), matches, "{pattern} {path}");
        }
        assert!(Pattern::of("# x").is_none() && Pattern::of("").is_none());
    }
}
