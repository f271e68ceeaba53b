//! What rules about several skills together know of each.

use super::subject::{File, Subject};
use crate::manifest;
use crate::report::Span;
use crate::skill::Skill;

/// What is kept of a skill for the rules that look at all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// What it needs, by its `skillpm.toml` and its `requires`.
    pub needs: Vec<Needed>,
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
        let place = |key: &str| {
            let span = frontmatter.root.get(key)?.span.clone();
            Some(Place { position: crate::report::position(page.source, span.start), span })
        };
        Some(Summary {
            path: super::join(&subject.skill.path, page.path),
            directory: subject.skill.directory.clone(),
            name: skill.name.clone(),
            name_at: if skill.named { place("name") } else { None },
            description: skill.summary_line(),
            description_at: place("description"),
            needs: needs(subject, page.path, skill, page.source),
        })
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
