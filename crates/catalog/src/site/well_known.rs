//! `.well-known/agent-skills` and `.well-known/skills`, as several clients read them.
//!
//! The list is that of discovery 0.2, to which each entry's `files` is added: its readers must ignore what they do not
//! know, and readers of 0.1 need just that. The older folder has the list of 0.1 alone, for those that look nowhere else.
//!
//! A skill that is one file is served as such; any other as an archive with `SKILL.md` at its root. A skill with files that a web
//! server must not serve as they are (`served_files`) is offered as its archive alone, and is not in the list of 0.1, whose
//! readers know no archives.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::json_text::json_file;
use super::served_files::is_active;
use super::{OfferedSkill, SiteBuilder, SiteFiles};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{RelPath, Sha256Digest, SiteUrl, SkillName, Tree, TreeFile};
use skillpm_io::archive;

/// Path of the list of discovery 0.2.
const INDEX: &str = ".well-known/agent-skills/index.json";

/// The form of the list.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// Directory of the list and the files of discovery 0.2.
const DIR_V02: &str = ".well-known/agent-skills";
/// Where those of 0.1 do.
const DIR_V01: &str = ".well-known/skills";

/// Maximum length of a description in a list, in UTF-16 units, as its readers count them.
const DESCRIPTION_MAX: usize = 1024;

/// Who serves the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SiteHost {
    /// Any web server, which sets no headers.
    #[default]
    Files,
    /// `serve`, whose headers keep the pages of skills from running scripts.
    Serve,
}

/// Collects the skills of a site one at a time, so that not all of them need to be in memory at once.
#[derive(Debug, Default)]
pub struct WellKnown {
    base: Option<SiteUrl>,
    host: SiteHost,
    /// What the list of 0.2 says of each, and what that of 0.1 does, unless it leaves it out.
    entries: BTreeMap<SkillName, (Value, Option<Value>)>,
}

impl WellKnown {
    /// An empty list. With `base`, its URLs are absolute; else relative, and valid wherever it is served.
    #[must_use]
    pub fn new(base: Option<SiteUrl>, host: SiteHost) -> Self {
        WellKnown {
            base,
            host,
            entries: BTreeMap::new(),
        }
    }
}

impl SiteBuilder for WellKnown {
    fn add(&mut self, skill: &OfferedSkill<'_>) -> Result<SiteFiles> {
        let OfferedSkill { name, tree, .. } = skill;

        if self.entries.contains_key(*name) {
            return Err(Error::negative(format!(
                "duplicate skill name `{name}`: a site can offer only one"
            )));
        }

        let (download, archive) = offer_download(skill)?;
        let has_loose = self.host == SiteHost::Serve || active_files(tree).next().is_none();
        let mut files = if has_loose {
            loose_files(name, tree)
        } else {
            SiteFiles::new()
        };
        if let Some(bytes) = archive {
            let file = TreeFile {
                bytes,
                executable: false,
            };
            files.insert(format!("{DIR_V02}/{}", download.file), file);
        }

        self.entries.insert(
            (*name).clone(),
            self.list_entries(skill, &download, has_loose),
        );
        Ok(files)
    }

    fn finish(&mut self) -> SiteFiles {
        let (new, old): (Vec<Value>, Vec<Option<Value>>) =
            // The map is sorted by name, so that the same skills give the same bytes.
            std::mem::take(&mut self.entries).into_values().unzip();
        let old: Vec<Value> = old.into_iter().flatten().collect();

        SiteFiles::from([
            (
                INDEX.to_owned(),
                json_file(&json!({"$schema": SCHEMA, "skills": new})),
            ),
            (
                format!("{DIR_V01}/index.json"),
                json_file(&json!({"skills": old})),
            ),
        ])
    }
}

impl WellKnown {
    /// The entries of a skill in the lists of 0.2 and 0.1; in that of 0.1 only with loose files.
    fn list_entries(
        &self,
        skill: &OfferedSkill<'_>,
        download: &SkillDownload,
        has_loose: bool,
    ) -> (Value, Option<Value>) {
        let SkillDownload { kind, file, digest } = download;

        // Relative without a base: the site may then be served from any host and below any path.
        let url = self
            .base
            .as_ref()
            .map_or(file.clone(), |base| format!("{base}/{DIR_V02}/{file}"));

        let name = skill.name;
        let description = truncate_description(skill.description);
        let paths = skill.file_paths();

        let mut new = json!({
            "name": name, "type": kind, "description": description, "url": url, "digest": format!("sha256:{digest}"),
        });
        if !has_loose {
            return (new, None);
        }

        new["files"] = json!(paths);
        let old = json!({"name": name, "description": description, "files": paths});
        (new, Some(old))
    }
}

/// What a reader of discovery 0.2 fetches.
struct SkillDownload {
    kind: &'static str,
    file: String,
    digest: Sha256Digest,
}

/// What is fetched of a skill, and the bytes of its archive, if it needs one.
///
/// # Errors
/// If it has no `SKILL.md`, or its files cannot be packed.
fn offer_download(skill: &OfferedSkill<'_>) -> Result<(SkillDownload, Option<Vec<u8>>)> {
    let OfferedSkill { name, tree, .. } = skill;
    let text = skill.skill_md()?;

    // The bit that makes a file a program is lost on the way in all forms but the archive.
    let is_text_alone = tree
        .files()
        .all(|(path, file)| path.as_str() == "SKILL.md" && !file.executable);

    if is_text_alone {
        let download = SkillDownload {
            kind: "skill-md",
            file: format!("{name}/SKILL.md"),
            digest: Sha256Digest::hash_bytes(text),
        };
        return Ok((download, None));
    }

    let bytes = archive::pack_at_root(tree)
        .map_err(|error| error.wrap(format!("failed to pack `{name}` into an archive")))?;
    let download = SkillDownload {
        kind: "archive",
        file: format!("{name}.tar.gz"),
        digest: Sha256Digest::hash_bytes(&bytes),
    };
    Ok((download, Some(bytes)))
}

/// The files of a skill for which it is offered as an archive alone.
pub fn active_files(tree: &Tree) -> impl Iterator<Item = &RelPath> {
    let is_served = |(path, file): &(&RelPath, &TreeFile)| is_active(path.as_str(), &file.bytes);
    tree.files().filter(is_served).map(|(path, _)| path)
}

/// The files of a skill one by one, in both folders.
fn loose_files(name: &SkillName, tree: &Tree) -> SiteFiles {
    let mut files = SiteFiles::new();

    for (path, file) in tree.files() {
        // Both folders have loose files: readers of 0.1 fetch each by itself.
        for folder in [DIR_V02, DIR_V01] {
            files.insert(
                format!("{folder}/{name}/{path}"),
                TreeFile {
                    bytes: file.bytes.clone(),
                    // A web server sends no such bit, so it must not matter for the tree either.
                    executable: false,
                },
            );
        }
    }

    files
}

/// A description that no reader refuses for its length.
fn truncate_description(text: &str) -> String {
    // Counted as JavaScript does: a limit in UTF-16 units, of which an emoji has two.
    if text.encode_utf16().count() <= DESCRIPTION_MAX {
        return text.to_owned();
    }
    // One unit is kept for the ellipsis.
    let mut remaining = DESCRIPTION_MAX - 1;

    let fits = |c: &char| {
        let width = c.len_utf16();
        remaining = remaining.saturating_sub(width);
        remaining >= width
    };

    let mut short: String = text.chars().take_while(fits).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::OfferedMetadata;
    use skillpm_core::package::Tree;

    fn tree(files: &[(&str, bool)]) -> Tree {
        let mut tree = Tree::builder();
        for (path, executable) in files {
            tree.add(path, path.as_bytes().to_vec(), *executable)
                .unwrap();
        }
        tree.finish()
    }

    fn files(skills: &[(&str, &Tree)], base: Option<&str>) -> Result<SiteFiles> {
        let names: Vec<SkillName> = skills
            .iter()
            .map(|(name, _)| name.parse().unwrap())
            .collect();
        let offered: Vec<OfferedSkill<'_>> = skills
            .iter()
            .zip(&names)
            .map(|((_, tree), name)| OfferedSkill {
                name,
                description: "What it is for.",
                tree,
                metadata: OfferedMetadata::default(),
            })
            .collect();
        let mut all = WellKnown::new(base.map(|base| base.parse().unwrap()), SiteHost::Files);
        let mut files = SiteFiles::new();
        for skill in &offered {
            files.extend(all.add(skill)?);
        }
        files.extend(all.finish());
        Ok(files)
    }

    #[test]
    fn one_file_is_served_as_it_is_and_several_as_an_archive_besides() {
        let (one, many) = (
            tree(&[("SKILL.md", false)]),
            tree(&[("A.md", false), ("SKILL.md", false), ("run", true)]),
        );
        let files = files(&[("pdf", &many), ("notes", &one)], None).unwrap();
        let paths: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(
            paths,
            [
                ".well-known/agent-skills/index.json",
                ".well-known/agent-skills/notes/SKILL.md",
                ".well-known/agent-skills/pdf.tar.gz",
                ".well-known/agent-skills/pdf/A.md",
                ".well-known/agent-skills/pdf/SKILL.md",
                ".well-known/agent-skills/pdf/run",
                ".well-known/skills/index.json",
                ".well-known/skills/notes/SKILL.md",
                ".well-known/skills/pdf/A.md",
                ".well-known/skills/pdf/SKILL.md",
                ".well-known/skills/pdf/run",
            ]
        );
        let archive = &files[".well-known/agent-skills/pdf.tar.gz"].bytes;
        assert_eq!(
            archive::unpack(archive, archive::ArchiveFormat::TarGz).unwrap(),
            many
        );
        let index = String::from_utf8(files[INDEX].bytes.clone()).unwrap();
        let expected = format!(
            r#"{{
  "$schema": "{SCHEMA}",
  "skills": [
    {{
      "name": "notes",
      "type": "skill-md",
      "description": "What it is for.",
      "url": "notes/SKILL.md",
      "digest": "sha256:{}",
      "files": [
        "SKILL.md"
      ]
    }},
    {{
      "name": "pdf",
      "type": "archive",
      "description": "What it is for.",
      "url": "pdf.tar.gz",
      "digest": "sha256:{}",
      "files": [
        "SKILL.md",
        "A.md",
        "run"
      ]
    }}
  ]
}}
"#,
            Sha256Digest::hash_bytes(b"SKILL.md"),
            Sha256Digest::hash_bytes(archive)
        );
        assert_eq!(index, expected);
    }

    #[test]
    fn a_base_makes_urls_whole() {
        let one = tree(&[("SKILL.md", false)]);
        let files = files(&[("pdf", &one)], Some("https://acme.dev/docs")).unwrap();
        let index: Value = serde_json::from_slice(&files[INDEX].bytes).unwrap();
        assert_eq!(
            index["skills"][0]["url"],
            "https://acme.dev/docs/.well-known/agent-skills/pdf/SKILL.md"
        );
    }

    #[test]
    fn a_program_keeps_its_bit_by_being_in_an_archive() {
        let one = tree(&[("SKILL.md", true)]);
        assert!(
            files(&[("pdf", &one)], None)
                .unwrap()
                .contains_key(".well-known/agent-skills/pdf.tar.gz")
        );
    }

    #[test]
    fn two_of_one_name_and_one_without_a_text_are_refused() {
        let (one, none) = (tree(&[("SKILL.md", false)]), tree(&[("README.md", false)]));
        assert!(files(&[("pdf", &one), ("pdf", &one)], None).is_err());
        assert!(files(&[("pdf", &none)], None).is_err());
    }

    #[test]
    fn a_long_description_is_cut_where_a_character_ends() {
        assert_eq!(truncate_description("short"), "short");
        assert_eq!(truncate_description(&"x".repeat(1024)).len(), 1024);
        let cut = truncate_description(&"😀".repeat(600));
        assert!(
            cut.encode_utf16().count() <= 1024 && cut.ends_with('…'),
            "{}",
            cut.encode_utf16().count()
        );
    }
}
