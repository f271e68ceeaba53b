//! Summaries of skills, for the rules that compare several skills.

mod mentions;

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::subject::{LintSubject, MarkdownPage, SkillFile};
use skillpm_core::manifest;
use skillpm_core::report::Span;
use skillpm_core::skill::SkillFrontmatter;
use skillpm_core::skill::yaml::YamlNode;

/// The part of a skill that rules about several skills compare.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillSummary {
    /// The path of its `SKILL.md`, as it is shown to users.
    pub path: String,
    /// The name of its directory; empty if unknown.
    pub directory: String,
    /// Its name.
    pub name: String,
    /// Where the name is written; `None` if it is the directory's.
    pub name_location: Option<SummaryLocation>,
    /// Its description, on one line.
    pub description: String,
    /// Where the description is written.
    pub description_location: Option<SummaryLocation>,
    /// Whether agents list it: not `disable-model-invocation`.
    pub is_listed: bool,
    /// A hash of its `SKILL.md`: equal for two copies.
    pub digest: u64,
    /// Skills that its instructions name, each once.
    pub mentions: Vec<SkillMention>,
    /// The skills it depends on, by its `skillpm.toml` and its `requires`.
    pub requires: Vec<RequiredSkill>,
}

/// A skill that another's instructions name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillMention {
    /// Its name, without a plugin's name in front.
    pub name: String,
    /// Where it is named.
    pub at: SummaryLocation,
}

/// A skill that another depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredSkill {
    /// Its name, without a scope.
    pub name: String,
    /// The file that declares the dependency, as it is shown to users.
    pub path: String,
    /// The place in that file.
    pub at: SummaryLocation,
}

/// A span with the line and column it begins at, so that it can be reported without the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryLocation {
    /// In bytes from the start of the file.
    pub span: Span,
    /// 1-based line and column, in characters.
    pub position: (usize, usize),
}

impl SkillSummary {
    /// Summarizes this skill; `None` if no agent would list it.
    #[must_use]
    pub fn from_subject(subject: &LintSubject<'_>) -> Option<Self> {
        let page = subject.page.as_ref()?;
        let skill = page.skill()?;
        // Rules about several skills are about what agents list, and this one is not listed.
        let frontmatter = page.frontmatter.as_ref()?;

        let location = |key| locate_field(page.source, frontmatter, key);

        Some(SkillSummary {
            path: super::join(&subject.skill.path, page.path),
            directory: subject.skill.directory.clone(),
            name: skill.name.clone(),
            // A name that the directory gives has no place in the file.
            name_location: if skill.named { location("name") } else { None },
            description: skill.summary_line(),
            description_location: location("description"),
            is_listed: skill.model_invocable,
            digest: digest(page.source),
            mentions: mentions::find_mentions(page),
            requires: required_skills(subject, page),
        })
    }

    /// The directory that an agent would load it from, together with its siblings: the nearest ancestor named
    /// `skills`, else the parent.
    ///
    /// `plugins/a/skills` and `plugins/b/skills` are two roots, as are `.claude/skills` and `.agents/skills`; a skill
    /// deeper below one of them (`skills/documents/pdf`) belongs to it.
    #[must_use]
    pub fn skills_root(&self) -> &str {
        let directory = self
            .path
            .rsplit_once('/')
            .map_or("", |(directory, _)| directory);
        let above = directory.rsplit_once('/').map_or("", |(above, _)| above);

        // The innermost `skills` counts: a collection may be in a directory of that name itself.
        let mut end = above.len();
        loop {
            let start = above[..end].rfind('/').map_or(0, |at| at + 1);
            if &above[start..end] == "skills" {
                return strip_current_dir(&above[..end]);
            }
            if start == 0 {
                return strip_current_dir(above);
            }

            end = start - 1;
        }
    }
}

/// A path without `./` in front.
fn strip_current_dir(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

fn locate_field(
    source: &str,
    frontmatter: &SkillFrontmatter,
    key: &str,
) -> Option<SummaryLocation> {
    let value = frontmatter.root.get(key)?;
    Some(SummaryLocation::from_span(source, value.span.clone()))
}

fn digest(text: &str) -> u64 {
    // A fixed seed: the digest is compared only within one run, and must not differ between
    // threads.
    FixedState::default().hash_one(text)
}

impl SummaryLocation {
    fn from_span(source: &str, span: Span) -> Self {
        SummaryLocation {
            position: skillpm_core::report::position(source, span.start),
            span,
        }
    }
}

/// The skills that a skill depends on: those of its manifest, then those of its `requires`.
fn required_skills(subject: &LintSubject<'_>, page: &MarkdownPage<'_>) -> Vec<RequiredSkill> {
    let dir = &subject.skill.path;
    let mut needs = Vec::new();
    if let Some(text) = subject.skill.file(manifest::FILE).and_then(SkillFile::text) {
        let path = super::join(dir, manifest::FILE);
        let inspection = manifest::inspect::inspect_manifest(text);
        needs.extend(inspection.dependencies.iter().map(|need| {
            let at = SummaryLocation::from_span(text, need.key.span.clone());
            RequiredSkill::new(&need.key.text, path.clone(), at)
        }));
    }

    if let Some(node) = requires_field(page) {
        let path = super::join(dir, page.path);
        let at = SummaryLocation::from_span(page.source, node.span.clone());
        let requires = page.skill().map_or(&[][..], |skill| &skill.requires);

        // Of `name@version` only the name matters: the rules compare names, not versions.
        needs.extend(requires.iter().map(|need| {
            let name = need.split('@').next().unwrap_or(need).trim();
            RequiredSkill::new(name, path.clone(), at.clone())
        }));
    }

    needs
}

/// The value of `requires`, which Yodoca reads at the top level and others under `metadata`.
fn requires_field<'p>(page: &'p MarkdownPage<'_>) -> Option<&'p YamlNode<'p>> {
    page.skill().filter(|skill| !skill.requires.is_empty())?;
    let root = &page.frontmatter.as_ref()?.root;
    root.get("requires")
        .or_else(|| root.get("metadata")?.get("requires"))
}

impl RequiredSkill {
    /// The skill that a dependency names, which may have a scope: `acme/pdf`.
    fn new(name: &str, path: String, at: SummaryLocation) -> Self {
        RequiredSkill {
            // Agents list a package under the last part of its name.
            name: name.rsplit('/').next().unwrap_or(name).to_owned(),
            path,
            at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_root_is_the_directory_that_an_agent_loads() {
        for (path, root) in [
            ("skills/pdf/SKILL.md", "skills"),
            ("skills/documents/pdf/SKILL.md", "skills"),
            ("./skills/pdf/SKILL.md", "skills"),
            (
                "/home/me/.claude/skills/pdf/SKILL.md",
                "/home/me/.claude/skills",
            ),
            ("plugins/a/skills/pdf/SKILL.md", "plugins/a/skills"),
            ("skills/kit/skills/pdf/SKILL.md", "skills/kit/skills"),
            ("collection/pdf/SKILL.md", "collection"),
            ("myskills/pdf/SKILL.md", "myskills"),
            ("skills/SKILL.md", ""),
            ("pdf/SKILL.md", ""),
            ("SKILL.md", ""),
        ] {
            let summary = SkillSummary {
                path: path.into(),
                ..SkillSummary::default()
            };
            assert_eq!(summary.skills_root(), root, "{path}");
        }
    }
}
