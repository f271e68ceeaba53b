//! What rules about several skills together know of each.

mod mentions;

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::subject::{File, Subject};
use crate::manifest;
use crate::report::Span;
use crate::skill::Skill;

/// What is kept of a skill for the rules that look at all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// The path of its `SKILL.md`, as people will look for it.
    pub path: String,
    /// The name of its directory; empty where that is not known.
    pub directory: String,
    /// Its name.
    pub name: String,
    /// Where that is written; `None` if it is the directory's.
    pub name_at: Option<Place>,
    /// Its description, on one line.
    pub description: String,
    /// Where that is written.
    pub description_at: Option<Place>,
    /// Whether agents list it: not `disable-model-invocation`.
    pub listed: bool,
    /// A hash of its `SKILL.md`: that of two copies is equal.
    pub digest: u64,
    /// Skills that its instructions name, each once.
    pub named: Vec<Named>,
    /// What it needs, by its `skillpm.toml` and its `requires`.
    pub needs: Vec<Needed>,
}

/// A skill that another's instructions name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its name, without that of a plugin in front.
    pub name: String,
    /// Where it is named.
    pub at: Place,
}

/// A skill that another needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needed {
    /// Its name, without a scope.
    pub name: String,
    /// The file that says so, as people will look for it.
    pub path: String,
    /// Where in it.
    pub at: Place,
}

/// A span with the line and column it begins at, so that it can be told without the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// In bytes from the start of the file.
    pub span: Span,
    /// 1-based line and column, in characters.
    pub position: (usize, usize),
}

impl Summary {
    /// What is kept of this skill; `None` if no agent would list it.
    #[must_use]
    pub fn of(subject: &Subject<'_>) -> Option<Self> {
        let page = subject.page.as_ref()?;
        let skill = page.skill()?;
        let frontmatter = page.frontmatter.as_ref()?;
        let place = |key: &str| Some(Place::of(page.source, frontmatter.root.get(key)?.span.clone()));
        Some(Summary {
            path: super::join(&subject.skill.path, page.path),
            directory: subject.skill.directory.clone(),
            name: skill.name.clone(),
            name_at: if skill.named { place("name") } else { None },
            description: skill.summary_line(),
            description_at: place("description"),
            listed: skill.model_invocable,
            digest: digest(page.source),
            named: mentions::of(page),
            needs: needs(subject, page.path, skill, page.source),
        })
    }

    /// The directory that an agent would read it from together with its neighbours: the nearest one above it that is
    /// called `skills`, else the one above it.
    ///
    /// `plugins/a/skills` and `plugins/b/skills` are two, as are `.claude/skills` and `.agents/skills`; what lies deeper
    /// below one of them (`skills/documents/pdf`) belongs to it.
    #[must_use]
    pub fn root(&self) -> &str {
        let directory = self.path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let above = directory.rsplit_once('/').map_or("", |(above, _)| above);
        let mut end = above.len();
        loop {
            let start = above[..end].rfind('/').map_or(0, |at| at + 1);
            if &above[start..end] == "skills" {
                return plain(&above[..end]);
            }
            if start == 0 {
                return plain(above);
            }
            end = start - 1;
        }
    }
}

/// A path without `./` in front.
fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

fn digest(text: &str) -> u64 {
    FixedState::default().hash_one(text)
}

impl Place {
    fn of(source: &str, span: Span) -> Self {
        Place { position: crate::report::position(source, span.start), span }
    }
}

fn needs(subject: &Subject<'_>, page: &str, skill: &Skill, source: &str) -> Vec<Needed> {
    let needed = |name: &str, path: &str, span: Span, source: &str| Needed {
        name: name.rsplit('/').next().unwrap_or(name).to_owned(),
        path: super::join(&subject.skill.path, path),
        at: Place { position: crate::report::position(source, span.start), span },
    };
    let mut needs = Vec::new();
    if let Some(text) = subject.skill.file(manifest::FILE).and_then(File::text) {
        let look = manifest::look::look(text);
        needs.extend(look.needs.iter().map(|need| needed(&need.key.text, manifest::FILE, need.key.span.clone(), text)));
    }
    if !skill.requires.is_empty()
        && let Some(frontmatter) = subject.page.as_ref().and_then(|page| page.frontmatter.as_ref())
        && let Some(node) =
            frontmatter.root.get("requires").or_else(|| frontmatter.root.get("metadata")?.get("requires"))
    {
        let names = skill.requires.iter().map(|need| need.split('@').next().unwrap_or(need).trim());
        needs.extend(names.map(|name| needed(name, page, node.span.clone(), source)));
    }
    needs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_what_an_agent_reads() {
        for (path, root) in [
            ("skills/pdf/SKILL.md", "skills"),
            ("skills/documents/pdf/SKILL.md", "skills"),
            ("./skills/pdf/SKILL.md", "skills"),
            ("/home/me/.claude/skills/pdf/SKILL.md", "/home/me/.claude/skills"),
            ("plugins/a/skills/pdf/SKILL.md", "plugins/a/skills"),
            ("skills/kit/skills/pdf/SKILL.md", "skills/kit/skills"),
            ("collection/pdf/SKILL.md", "collection"),
            ("myskills/pdf/SKILL.md", "myskills"),
            ("skills/SKILL.md", ""),
            ("pdf/SKILL.md", ""),
            ("SKILL.md", ""),
        ] {
            let summary = Summary { path: path.into(), ..Summary::default() };
            assert_eq!(summary.root(), root, "{path}");
        }
    }
}
