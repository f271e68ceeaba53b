//! A zip for each skill, as Anthropic's Skills API takes it: one directory at the top, called as the skill.
//!
//! ```text
//! pdf.zip      pdf/SKILL.md, pdf/scripts/a.py
//! ```

use std::collections::BTreeSet;

use super::{OfferedSkill, SiteBuilder, SiteFiles};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{SkillName, TreeFile};
use skillpm_io::archive;

/// Packs each skill as it comes; see [`SiteBuilder`].
#[derive(Debug, Default)]
pub struct ClaudeZip {
    names: BTreeSet<SkillName>,
}

impl SiteBuilder for ClaudeZip {
    fn add(&mut self, skill: &OfferedSkill<'_>) -> Result<SiteFiles> {
        skill.skill_md()?;
        let name = skill.name.as_str();

        if !self.names.insert(skill.name.clone()) {
            return Err(Error::negative(format!(
                "duplicate skill name `{name}`: their archives would have the same name"
            )));
        }

        // Packed at once and not kept: the skills of a large catalog do not fit into memory
        // together.
        let bytes = archive::pack_zip(skill.tree, name)
            .map_err(|error| error.wrap(format!("failed to pack `{name}` into an archive")))?;

        Ok(SiteFiles::from([(
            format!("{name}.zip"),
            TreeFile {
                bytes,
                executable: false,
            },
        )]))
    }

    fn finish(&mut self) -> SiteFiles {
        // No list: the interface takes one zip at a time.
        SiteFiles::new()
    }
}
