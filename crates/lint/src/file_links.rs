//! The files of a skill that its Markdown files name, for editors.

use super::markdown::MarkdownText;
use super::rules::link_target::{PathTypo, ResolvedLink, exists_in_skill, resolve_link};
use super::rules::named_path::find_named_paths;
use super::{MarkdownPage, SkillDir, SkillFile};
use skillpm_core::report::Span;

/// A place in a Markdown file that names a file of the skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLink {
    /// The target as it is written, without `[text]` and parentheses.
    pub span: Span,
    /// The file, relative to the skill's directory.
    pub path: String,
    /// Whether it exists, in this spelling.
    pub exists: bool,
}

/// The links of a Markdown file to files of its skill, and in `SKILL.md` the paths in backticks, in the order of the file.
/// Empty for any other file.
#[must_use]
pub fn find_file_links(skill: &SkillDir, path: &str) -> Vec<FileLink> {
    let Some((file, text)) = skill.file(path).and_then(|file| Some((file, file.text()?))) else {
        return Vec::new();
    };
    if !file.extension().eq_ignore_ascii_case("md") {
        return Vec::new();
    }

    let is_page = skill
        .skill_file()
        .is_some_and(|page| page.path == file.path);
    let mut links = if is_page {
        let page = MarkdownPage::read(&file.path, text, &skill.directory);
        let mut links = markdown_links(skill, file, page.markdown());
        links.extend(named_paths(skill, &page));
        links
    } else {
        markdown_links(skill, file, &MarkdownText::parse(text, 0))
    };

    links.sort_by_key(|link| link.span.start);
    // A path in backticks may be the text of a link; the link has the target.
    links.dedup_by(|later, earlier| later.span.start < earlier.span.end);
    links
}

fn markdown_links(
    skill: &SkillDir,
    file: &SkillFile,
    markdown: &MarkdownText<'_>,
) -> Vec<FileLink> {
    let dir = file.path.rsplit_once('/').map_or("", |(dir, _)| dir);
    let links = markdown.links.iter().filter_map(|link| {
        let (path, exists) = match resolve_link(skill, dir, &link.target) {
            ResolvedLink::Existing { path, .. } => (path, true),
            // On some systems it is found, in this case or with these separators.
            ResolvedLink::NearMiss {
                path,
                typo: PathTypo::Case | PathTypo::Backslash,
            } => (path, false),
            ResolvedLink::Missing { path } => (path, false),
            ResolvedLink::Unchecked | ResolvedLink::Outside | ResolvedLink::Absolute => {
                return None;
            }
        };
        Some(FileLink {
            span: link.target_span.clone(),
            path,
            exists,
        })
    });
    links.collect()
}

fn named_paths(skill: &SkillDir, page: &MarkdownPage<'_>) -> Vec<FileLink> {
    let links = find_named_paths(skill, page).into_iter().map(|span| {
        let path = page.source[span.clone()].to_owned();
        FileLink {
            exists: exists_in_skill(skill, &path),
            span,
            path,
        }
    });
    links.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileContent;

    #[test]
    fn links_and_named_paths_are_found_with_their_files() {
        let page = "---\nname: pdf\ndescription: Reads PDF files.\n---\nSee [fields](references/fields.md#a), \
                    `scripts/fill.py` and [x](references/none.md). [Site](https://example.com).\n";
        let file = |path: &str, text: &str| SkillFile {
            path: path.to_owned(),
            content: FileContent::Text(text.to_owned()),
            executable: false,
        };
        let skill = SkillDir {
            directory: "pdf".to_owned(),
            files: vec![
                file("SKILL.md", page),
                file("references/fields.md", "[back](../SKILL.md)\n"),
                file("scripts/fill.py", ""),
            ],
            ..SkillDir::default()
        };
        let links = |path: &str| -> Vec<(String, String, bool)> {
            let text = skill.file(path).unwrap().text().unwrap();
            let found = find_file_links(&skill, path).into_iter();
            found
                .map(|link| (text[link.span].to_owned(), link.path, link.exists))
                .collect()
        };
        let link =
            |written: &str, path: &str, exists| (written.to_owned(), path.to_owned(), exists);
        assert_eq!(
            links("SKILL.md"),
            [
                link("references/fields.md#a", "references/fields.md", true),
                link("scripts/fill.py", "scripts/fill.py", true),
                link("references/none.md", "references/none.md", false),
            ]
        );
        assert_eq!(
            links("references/fields.md"),
            [link("../SKILL.md", "SKILL.md", true)]
        );
        assert_eq!(links("scripts/fill.py"), []);
    }
}
