//! `.well-known/agent-skills` and `.well-known/skills`, as several clients read them.
//!
//! The list is that of discovery 0.2, to which each entry's `files` is added: its readers must ignore what they do not
//! know, and readers of 0.1 need just that. The older folder has the list of 0.1 alone, for those that look nowhere else.
//!
//! A skill that is one file is served as such; any other as an archive with `SKILL.md` at its root.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::offering::json;
use super::{Files, Offered, Offering};
use crate::error::{Error, Result};
use crate::io::archive;
use crate::package::{File, Sha256, SiteUrl, SkillName};

/// Where the list of discovery 0.2 stands.
const INDEX: &str = ".well-known/agent-skills/index.json";

/// The form of the list.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// Where the list and the files of discovery 0.2 stand.
const NEW: &str = ".well-known/agent-skills";
/// Where those of 0.1 do.
const OLD: &str = ".well-known/skills";

/// Longest description a list may hold, in UTF-16 units, as its readers count them.
const DESCRIPTION_MAX: usize = 1024;

/// Collects what is offered, one skill at a time, so that not all of them need to be at hand at once.
#[derive(Debug, Default)]
pub struct WellKnown {
    base: Option<SiteUrl>,
    /// What the list of 0.2 says of each, and what that of 0.1 does.
    entries: BTreeMap<SkillName, (Value, Value)>,
}

impl WellKnown {
    /// Nothing yet. With `base` the list has whole URLs; else they are relative to it, and hold wherever it is served.
    #[must_use]
    pub fn new(base: Option<SiteUrl>) -> Self {
        WellKnown { base, entries: BTreeMap::new() }
    }
}

impl Offering for WellKnown {
    fn add(&mut self, skill: &Offered<'_>) -> Result<Files> {
        let Offered { name, tree, .. } = skill;
        if self.entries.contains_key(*name) {
            return Err(Error::negative(format!("two skills are called `{name}`, and a site can offer one of them")));
        }
        let text = skill.text()?;
        let mut files = Files::new();
        for (path, file) in tree.files() {
            for folder in [NEW, OLD] {
                files.insert(format!("{folder}/{name}/{path}"), File { bytes: file.bytes.clone(), executable: false });
            }
        }
        // The bit that makes a file a program is lost on the way in all forms but the archive.
        let is_text_alone = tree.files().all(|(path, file)| path.as_str() == "SKILL.md" && !file.executable);
        let (kind, file, digest) = if is_text_alone {
            ("skill-md", format!("{name}/SKILL.md"), Sha256::of(text))
        } else {
            let bytes = archive::pack_at_root(tree)
                .map_err(|error| error.wrap(format!("`{name}` cannot be put into an archive")))?;
            let (file, digest) = (format!("{name}.tar.gz"), Sha256::of(&bytes));
            files.insert(format!("{NEW}/{file}"), File { bytes, executable: false });
            ("archive", file, digest)
        };
        let url = self.base.as_ref().map_or(file.clone(), |base| format!("{base}/{NEW}/{file}"));
        let description = shortened(skill.description);
        let paths = skill.paths();
        let new = json!({
            "name": name, "type": kind, "description": description, "url": url, "digest": format!("sha256:{digest}"),
            "files": paths,
        });
        let old = json!({"name": name, "description": description, "files": paths});
        self.entries.insert((*name).clone(), (new, old));
        Ok(files)
    }

    fn finish(&mut self) -> Files {
        let (new, old): (Vec<Value>, Vec<Value>) = std::mem::take(&mut self.entries).into_values().unzip();
        Files::from([
            (INDEX.to_owned(), json(&json!({"$schema": SCHEMA, "skills": new}))),
            (format!("{OLD}/index.json"), json(&json!({"skills": old}))),
        ])
    }
}

/// A description that no reader refuses for its length.
fn shortened(text: &str) -> String {
    if text.encode_utf16().count() <= DESCRIPTION_MAX {
        return text.to_owned();
    }
    let mut room = DESCRIPTION_MAX - 1;
    let fits = |c: &char| {
        let width = c.len_utf16();
        room = room.saturating_sub(width);
        room >= width
    };
    let mut short: String = text.chars().take_while(fits).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::Tree;
    use crate::site::About;

    fn tree(files: &[(&str, bool)]) -> Tree {
        let mut tree = Tree::builder();
        for (path, executable) in files {
            tree.add(path, path.as_bytes().to_vec(), *executable).unwrap();
        }
        tree.finish()
    }

    fn files(skills: &[(&str, &Tree)], base: Option<&str>) -> Result<Files> {
        let names: Vec<SkillName> = skills.iter().map(|(name, _)| name.parse().unwrap()).collect();
        let offered: Vec<Offered<'_>> = skills
            .iter()
            .zip(&names)
            .map(|((_, tree), name)| Offered { name, description: "What it is for.", tree, about: About::default() })
            .collect();
        let mut all = WellKnown::new(base.map(|base| base.parse().unwrap()));
        let mut files = Files::new();
        for skill in &offered {
            files.extend(all.add(skill)?);
        }
        files.extend(all.finish());
        Ok(files)
    }

    #[test]
    fn one_file_is_served_as_it_is_and_several_as_an_archive_besides() {
        let (one, many) = (tree(&[("SKILL.md", false)]), tree(&[("A.md", false), ("SKILL.md", false), ("run", true)]));
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
        assert_eq!(archive::unpack(archive, archive::Kind::TarGz).unwrap(), many);
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
            Sha256::of(b"SKILL.md"),
            Sha256::of(archive)
        );
        assert_eq!(index, expected);
    }

    #[test]
    fn a_base_makes_urls_whole() {
        let one = tree(&[("SKILL.md", false)]);
        let files = files(&[("pdf", &one)], Some("https://acme.dev/docs")).unwrap();
        let index: Value = serde_json::from_slice(&files[INDEX].bytes).unwrap();
        assert_eq!(index["skills"][0]["url"], "https://acme.dev/docs/.well-known/agent-skills/pdf/SKILL.md");
    }

    #[test]
    fn a_program_keeps_its_bit_by_being_in_an_archive() {
        let one = tree(&[("SKILL.md", true)]);
        assert!(files(&[("pdf", &one)], None).unwrap().contains_key(".well-known/agent-skills/pdf.tar.gz"));
    }

    #[test]
    fn two_of_one_name_and_one_without_a_text_are_refused() {
        let (one, none) = (tree(&[("SKILL.md", false)]), tree(&[("README.md", false)]));
        assert!(files(&[("pdf", &one), ("pdf", &one)], None).is_err());
        assert!(files(&[("pdf", &none)], None).is_err());
    }

    #[test]
    fn a_long_description_is_cut_where_a_character_ends() {
        assert_eq!(shortened("short"), "short");
        assert_eq!(shortened(&"x".repeat(1024)).len(), 1024);
        let cut = shortened(&"😀".repeat(600));
        assert!(cut.encode_utf16().count() <= 1024 && cut.ends_with('…'), "{}", cut.encode_utf16().count());
    }
}
